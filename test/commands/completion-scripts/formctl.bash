# Completion of formctl for bash. To load it: source <(formctl completion bash)
_formctl() {
  local output line directive
  COMPREPLY=()
  output=$(formctl complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  directive=${output##*:}
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("${line%%$'\t'*}")
  done <<<"$output"
  [[ -z $output ]] && COMPREPLY=() directive=4
  # The bash of macOS has no compopt.
  if type compopt &>/dev/null; then
    ((directive & 2)) && compopt -o nospace
    ((directive & 4)) && compopt +o default
  fi
  return 0
}
complete -o default -F _formctl formctl
