/** The scripts only ask the program itself: what it offers never differs from what it takes. */
const scripts = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [[ \${COMPREPLY[0]} == "__files__" ]]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o filenames -o nosort -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${#candidates} -eq 1 && \${candidates[1]} == "__files__" ]]; then
    _files
  else
    compadd -Q -- \${candidates}
  fi
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`,
  fish: `function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (svc __complete -- $words[2..-1] 2>/dev/null)
  if test "$found" = "__files__"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c svc -f -a '(__svc_complete)'
`,
} as const

export type Shell = keyof typeof scripts

export function completionScript(shell: Shell): string {
  return scripts[shell]
}

/** What stands for "a file", which the shell completes itself. */
export const FILES = '__files__'
