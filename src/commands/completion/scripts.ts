/**
 * The completion scripts. A script runs `formctl complete` with the words before the cursor. Each line of the output is
 * a candidate, with its description after a tab. The last line is `:` and a number: the sum of the flags that apply
 * (`NO_SPACE`, `NO_FILES`).
 *
 * - A script never evaluates a word or a candidate: the name of a form may contain `$(…)`.
 * - A script never runs the program that the user has typed. The user has not pressed Enter, and the path may lead to a
 *   file of a repository. It runs the `formctl` of PATH.
 */

/** The shell adds no space after the candidate, because the argument continues. */
export const NO_SPACE = 2;
/** The shell does not complete file names if there are no candidates. */
export const NO_FILES = 4;

const bash = String.raw`# Completion of formctl for bash. To load it: source <(formctl completion bash)
_formctl() {
  local output line directive
  COMPREPLY=()
  output=$(formctl complete bash "${"$"}{COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  directive=${"$"}{output##*:}
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("${"$"}{line%%$'\t'*}")
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
`;

const zsh = String.raw`#compdef formctl
# Completion of formctl for zsh. To load it, after compinit: source <(formctl completion zsh)
_formctl() {
  local line directive
  local -a typed lines values shown files
  # Q removes the quotes without evaluating the words.
  typed=("${"$"}{(@Q)words[2,CURRENT-1]}" "${"$"}{(Q)PREFIX}")
  lines=("${"$"}{(@f)$(formctl complete -- "$typed[@]" 2>/dev/null)}")
  directive=${"$"}{lines[-1]#:}
  [[ $directive == <-> ]] || return 1
  for line in "${"$"}{(@)lines[1,-2]}"; do
    values+=("${"$"}{line%%$'\t'*}")
    shown+=("${"$"}{line/$'\t'/  -- }")
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
`;

const fish = String.raw`# Completion of formctl for fish. To load it: formctl completion fish | source
function __formctl_complete
    set -l words (commandline -opc)
    # A word with an open quote can't be unescaped: only its quote is removed.
    set -l word (commandline -ct | string collect)
    set -l plain (string unescape -- "$word" | string collect)
    or set plain (string replace -r '^[\'"]' '' -- "$word" | string collect)
    set -l lines (formctl complete -- $words[2..-1] "$plain" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    if test (count $lines) -eq 1
        contains -- $directive 4 6; or __fish_complete_path "$plain"
        return
    end
    printf '%s\n' $lines[1..-2]
end
complete -c formctl -e
complete -c formctl -f -k -a '(__formctl_complete)'
`;

const powershell = String.raw`# Completion of formctl for PowerShell. To load it: formctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName formctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
  $elements = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
  $words = @($elements | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  # Older versions drop an empty argument, so --next states that the cursor is after a space.
  $isNext = $elements.Count -eq 0 -or $elements[-1].Extent.EndOffset -lt $cursorPosition
  $start = if ($isNext) { @('complete', '--next', '--') } else { @('complete', '--') }
  $lines = @(& formctl @start @words 2>$null)
  if ($lines.Count -lt 2) { return }
  $lines[0..($lines.Count - 2)] | ForEach-Object {
    $value, $about = $_ -split "${"`"}t", 2
    $text = $value
    if ($value -notmatch '^[\w./][\w./:=-]*$' -and $value -notlike '--*') {
      $text = "'" + ($value -replace "['\u2018-\u201B]", '$0$0') + "'"
    }
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
  }
}
`;

export const SCRIPTS = { bash, zsh, fish, powershell } as const;
export type Shell = keyof typeof SCRIPTS;
