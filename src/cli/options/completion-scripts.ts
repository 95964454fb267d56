/** Scripts that ask the program itself, so they never go out of date; SHELL decides the form of its answer. */
export const COMPLETION_SCRIPTS = {
  bash: `# llm-host completion for bash: eval "$(llm-host completion bash)" in ~/.bashrc
_llm_host() {
  # readline splits granite4:1b at its colon: whole words go to the program, and only the last piece comes back
  local IFS=$'\\n' piece words=()
  for piece in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ \${#words[@]} -gt 0 && ( $piece == :* || \${words[\${#words[@]}-1]} == *: ) ]]
    then words[\${#words[@]}-1]+="$piece"
    else words+=("$piece")
    fi
  done
  local word="\${words[\${#words[@]}-1]}" before=""
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then before="\${word%:*}:"; fi
  local found="$(SHELL=bash llm-host --get-yargs-completions "\${words[@]}" 2>/dev/null | grep -vxF '$0')"
  COMPREPLY=($(compgen -W "$found" -- "$word"))
  COMPREPLY=("\${COMPREPLY[@]#"$before"}")
}
complete -o bashdefault -o default -F _llm_host llm-host
`,
  zsh: `#compdef llm-host
# llm-host completion for zsh: source <(llm-host completion zsh) after compinit in ~/.zshrc
_llm_host() {
  local -a found
  found=("\${(@f)$(SHELL=zsh llm-host --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null | grep -v '^$0:')}")
  _describe 'llm-host' found || _files
}
compdef _llm_host llm-host
`,
  fish: `# llm-host completion for fish: llm-host completion fish | source in ~/.config/fish/config.fish
function __llm_host
  set -l words (commandline -opc) (commandline -ct)
  SHELL=bash llm-host --get-yargs-completions $words 2>/dev/null | string match -v '$0'
end
complete -c llm-host -a '(__llm_host)'
`,
} as const;
