#!/usr/bin/env bash
# Mistake: without a clientMutationId, the server does a repeated request twice.
set -euo pipefail
curl --silent --show-error --fail --retry 3 --retry-delay 1 --retry-all-errors \
  --header "authorization: Bearer $FORMCTL_TOKEN" --header "content-type: application/json" \
  --data '{"name":"Overview","surface":"ORGANIZATION","supportedModes":["VIEW"],"target":{}}' \
  "$FORMCTL_BASE_URL/v1/view-layouts"
