#!/usr/bin/env bash
# Mistake: without pipefail, a pipeline has the exit code of its last command.
set -eu
formctl forms update "staffing/candidate/Candidate intake" --title "Work with us" | cat
formctl forms update "staffing/candidate/Candidate profile" --description "Everything about a candidate" | cat
