#!/usr/bin/env bash
# Sound: an existing form is not created again.
set -euo pipefail
formctl forms create staffing/candidate --name "Reference check" --types CREATE,VIEW --if-not-exists
formctl forms update "staffing/candidate/Reference check" --title "References"
