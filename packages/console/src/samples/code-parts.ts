/** What samples of code have in common. Pure. */
import { shellJson, shellText, type ValueFile } from './literals.ts'

/** Values are the request's fields, as the page would send them. */
export type Body = Readonly<Record<string, unknown>>

export interface Sample {
  readonly name: string
  /** What must be installed first; null for nothing. */
  readonly install: string | null
  readonly code: string
}

/** Where the request goes, and who pays. */
export interface CodePlace {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string
  readonly key: string
}

/** Takes the place of a key that is not known. */
export const KEY_PLACE = 'YOUR_KEY'
/** Said beside samples that have the place of a key and not the key. */
export const KEY_HINT = `Put your key in place of ${KEY_PLACE}: it was shown once, when it was made.`

export const IN_PYTHON = 'pip install openai'
export const IN_NODE = 'npm install openai'
export const IN_AI = 'npm install ai @ai-sdk/openai-compatible'

export const pythonClient = ({ baseUrl, key }: CodePlace): string =>
  `from openai import OpenAI\n\nclient = OpenAI(base_url="${baseUrl}", api_key="${key}")\n`
export const nodeClient = ({ baseUrl, key }: CodePlace): string =>
  `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })\n`
export const aiClient = ({ baseUrl, key }: CodePlace): string =>
  `const svc = createOpenAICompatible({ name: 'svc', baseURL: '${baseUrl}', apiKey: '${key}' })\n`

/** What must be there beside the code, behind what must be installed; null for nothing. */
export function needs(install: string | null, files: readonly ValueFile[]): string | null {
  if (files.length === 0) return install
  const names = files.map(({ name }) => name).join(', ')
  const saved =
    files.length === 1 ? `save the file that you attached as ${names}` : `save what you attached as ${names}`
  return install === null ? saved : `${install}; ${saved}`
}

/** Imports of what reads the files. */
export const nodeFiles = (files: readonly ValueFile[]): string =>
  files.length === 0 ? '' : "import { readFileSync } from 'node:fs'\n"
export const pythonFiles = (files: readonly ValueFile[]): string =>
  files.length === 0 ? '' : 'from base64 import b64encode\n'

interface CurlParts {
  /** Before the address. */
  readonly flags?: string
  /** Behind the command. */
  readonly more?: string
  /** What the body reads. */
  readonly files?: readonly ValueFile[]
}

export function curl(place: CodePlace, path: string, body: Body, parts: CurlParts = {}): Sample {
  const { flags = '', more = '', files = [] } = parts
  const call = `curl ${flags}${place.baseUrl}${path} \\
  -H "Authorization: Bearer ${place.key}" \\
  -H "Content-Type: application/json" \\`
  const code =
    files.length === 0
      ? `${call}\n  -d ${shellText(JSON.stringify(body, null, 2))}${more}`
      : `{ ${shellJson(body)}; } | ${call}\n  --data-binary @-${more}`
  return { name: 'curl', install: needs(null, files), code }
}
