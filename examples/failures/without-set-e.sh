#!/usr/bin/env bash
# Mistake: without set -e, the script goes on after a failed command.
formctl forms update "staffing/candidate/Candidate intake" --title "Work with us"
formctl forms update "staffing/candidate/Candidate profile" --description "Everything about a candidate"
