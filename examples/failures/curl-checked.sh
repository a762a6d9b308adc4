#!/usr/bin/env bash
# Sound: curl fails at an error status, and the server does a request with a clientMutationId only once.
set -euo pipefail
curl --silent --show-error --fail --retry 3 --retry-delay 1 \
  --header "authorization: Bearer $FORMCTL_TOKEN" --header "content-type: application/json" \
  --data '{"clientMutationId":"overview-1","name":"Overview","surface":"ORGANIZATION","supportedModes":["VIEW"],"target":{}}' \
  "$FORMCTL_BASE_URL/v1/view-layouts"
