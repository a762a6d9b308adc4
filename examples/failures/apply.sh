#!/usr/bin/env bash
# Sound: apply resumes what a failure left.
set -euo pipefail
formctl apply "${0%/*}/manifests" --yes
