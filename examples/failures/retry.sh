#!/usr/bin/env bash
# Sound: each command is tried three times, and the script ends with an error if none succeeds.
set -euo pipefail
retry() {
  for attempt in 1 2 3; do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  return 1
}
retry formctl forms update "staffing/candidate/Candidate intake" --title "Work with us"
retry formctl layouts create --surface ORGANIZATION --modes VIEW --name "Overview" --if-not-exists
