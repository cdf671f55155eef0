/** `svc embed`: texts become vectors. */
import { EMBEDDING_INPUTS_MAX, type EmbeddingReply, type Exact } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { countText } from '../count-text.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { readPipedText, STANDARD_INPUT } from '../terminal/read-input.ts'

export interface EmbedOptions {
  readonly model?: string | undefined
  readonly dimensions?: number | undefined
}

/** The model where the gateway's list has none for vectors: the name that servers and clients know best. */
const DEFAULT_MODEL = 'text-embedding-3-small'

export async function embed(context: Context, words: readonly string[], options: EmbedOptions): Promise<void> {
  const { terminal } = context
  const api = await context.api()
  const input = await readTexts(context, words)
  const model = options.model ?? (await firstModel(api, terminal.signal))
  const body = {
    model,
    input: [...input],
    encoding_format: 'float' as const,
    ...(options.dimensions === undefined ? {} : { dimensions: options.dimensions }),
  }
  const reply = await api.client.call(api.endpoints.createEmbedding, { body }, { signal: terminal.signal })
  if (context.options.json === true) await printJson(terminal.out, reply)
  else {
    for (const { index, embedding } of reply.data) {
      await terminal.out.line(JSON.stringify({ index, text: input[index], embedding }))
    }
  }
  if (context.options.quiet === true || context.options.json === true) return
  await terminal.notes.line(noteOf(model, reply))
}

/** @throws {CommandError} when there is no text, or there are more than a request takes. */
async function readTexts({ terminal }: Context, words: readonly string[]): Promise<readonly string[]> {
  const isPiped = words.length === 0 || (words.length === 1 && words[0] === STANDARD_INPUT)
  const piped = isPiped ? ((await readPipedText(terminal.input)) ?? '').split(/\r?\n/) : words
  const texts = piped.filter((text) => text.trim() !== '')
  const exitCode = exitCodes.wrongUsage
  if (texts.length === 0) {
    const advice = 'Give one: svc embed "…", or pipe lines into it.'
    throw new CommandError('There is no text.', { advice, exitCode })
  }
  if (texts.length > EMBEDDING_INPUTS_MAX) {
    const advice = `Split them: split -l ${EMBEDDING_INPUTS_MAX} lines.txt part- makes files that fit.`
    throw new CommandError(`${texts.length} texts are more than ${EMBEDDING_INPUTS_MAX}.`, { advice, exitCode })
  }
  return texts
}

async function firstModel({ client, endpoints }: ApiConnection, signal: AbortSignal): Promise<string> {
  const query = { type: 'embedding', limit: 1 } as const
  const [first] = (await client.call(endpoints.listModels, { query }, { signal })).data
  return first?.id ?? DEFAULT_MODEL
}

function noteOf(model: string, { data, usage, svc }: Exact<EmbeddingReply>): string {
  const vectors = data.length === 1 ? '1 vector' : `${data.length} vectors`
  const first = data[0]?.embedding
  const length = Array.isArray(first) ? ` of ${first.length}` : ''
  const estimated = svc.estimated === true ? ' (estimated)' : ''
  const charge = `${creditsText(svc.credits_charged)}${estimated}`
  return `${charge} · ${model} · ${vectors}${length} · ${countText(usage.prompt_tokens)} tokens`
}
