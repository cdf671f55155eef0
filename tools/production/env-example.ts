/** The file of settings that an operator starts from, made of the table in docs/configuration.md. */

/** A row of the table: name, default or nothing, meaning. */
const ROW = /^\| `(SVC_\w+)` \| (?:`([^`]*)`)? *\| (.+) \|$/gm

const WIDTH_MAX = 98

const HEAD = `# Settings of the gateway, all of them. A line that begins with # is not set, and shows the default where there is one.
# Made from docs/configuration.md by "node tools/make-env-example.ts". For systemd (EnvironmentFile=) and
# "docker run --env-file".
#
# A secret belongs into a file of its own: <NAME>_FILE is the path of a file that holds it.
`

/**
 * @param page the text of docs/configuration.md.
 * @param secrets names of the variables that hold secrets.
 */
export function renderEnvExample(page: string, secrets: readonly string[]): string {
  const rows = [...page.matchAll(ROW)].map(([, name = '', preset = '', meaning = '']) => {
    const setting = secrets.includes(name) ? `#${name}_FILE=/run/secrets/${fileNameOf(name)}` : `#${name}=${preset}`
    return `${wrap(plainText(meaning))}\n${setting}\n`
  })
  return [HEAD, ...rows].join('\n')
}

const fileNameOf = (name: string): string => name.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-')

/** Without links and marks of code. */
function plainText(meaning: string): string {
  return meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}

function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < WIDTH_MAX) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}
