#!/usr/bin/env bash
# Mistake: without --fail, curl ends with 0 at an error status.
set -euo pipefail
curl --silent --show-error \
  --header "authorization: Bearer $FORMCTL_TOKEN" --header "content-type: application/json" \
  --data '{"clientMutationId":"overview-1","name":"Overview","surface":"ORGANIZATION","supportedModes":["VIEW"],"target":{}}' \
  "$FORMCTL_BASE_URL/v1/view-layouts"
