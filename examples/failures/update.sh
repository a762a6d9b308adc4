#!/usr/bin/env bash
# Sound: the script stops at the first failure, and each command can run again.
set -euo pipefail
formctl forms update "staffing/candidate/Candidate intake" --title "Work with us"
formctl forms update "staffing/candidate/Candidate profile" --description "Everything about a candidate"
