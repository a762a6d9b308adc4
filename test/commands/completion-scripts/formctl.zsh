#compdef formctl
# Completion of formctl for zsh. To load it, after compinit: source <(formctl completion zsh)
_formctl() {
  local line directive
  local -a typed lines values shown files
  # Q removes the quotes without evaluating the words.
  typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  lines=("${(@f)$(formctl complete -- "$typed[@]" 2>/dev/null)}")
  directive=${lines[-1]#:}
  [[ $directive == <-> ]] || return 1
  for line in "${(@)lines[1,-2]}"; do
    values+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  if (( $#values == 0 )); then
    (( directive & 4 )) || _files
    return
  fi
  if (( directive & 2 )); then
    compadd -l -d shown -S '' -a -- values
  else
    compadd -l -d shown -a -- values
  fi
}
if [[ $funcstack[1] == _formctl ]]; then
  _formctl "$@"
else
  compdef _formctl formctl
fi
