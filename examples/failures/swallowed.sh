#!/usr/bin/env bash
# Mistake: "|| true" hides the exit code.
set -euo pipefail
formctl forms update "staffing/candidate/Candidate intake" --title "Work with us" || true
formctl forms update "staffing/candidate/Candidate profile" --description "Everything about a candidate"
