/** How OpenRouter reads the files of a chat: by an engine whose cost is that of the prompt. */
import { isObject } from '../openai-compatible/usage.ts'

function pluginOf(engine: 'native' | 'cloudflare-ai'): string {
  return JSON.stringify([{ id: 'file-parser', pdf: { engine } }])
}

/**
 * Where none is named, a model that reads no files gets them through text recognition, which is sold by the page beside
 * the prompt, at thousands of pages a file. Source: OpenRouter, "PDF Inputs", pricing; decision 0081.
 */
const engines = { native: pluginOf('native'), free: pluginOf('cloudflare-ai') } as const

function hasFile(value: Readonly<Record<string, unknown>>): boolean {
  const messages = Array.isArray(value['messages']) ? value['messages'].filter(isObject) : []
  return messages.some(({ content }) => {
    return Array.isArray(content) && content.some((part) => isObject(part) && part['type'] === 'file')
  })
}

/**
 * The member that names the engine for a chat with files.
 *
 * @param readsFiles whether the model is listed as one that reads files itself: then they are tokens of its prompt.
 */
export function fileParserMember(
  value: Readonly<Record<string, unknown>>,
  readsFiles: boolean,
): readonly (readonly [string, string])[] {
  return hasFile(value) ? [['plugins', readsFiles ? engines.native : engines.free]] : []
}
