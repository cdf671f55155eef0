/** `svc image`: images from words, or from images and words. */
import type { Exact, ImageReply } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { imageType, readImageAddress } from '../chat/attach.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { type OutputFile, reserveFile, STANDARD_OUTPUT, timedName } from '../files/output-file.ts'
import { imageFormats, outputFormat } from '../files/output-format.ts'
import { defaultModel } from '../default-model.ts'
import { printJson } from '../print-json.ts'
import { readText } from '../terminal/read-input.ts'
import { imageProtocol, showImage } from '../images/show-image.ts'

export interface ImageOptions {
  readonly model?: string | undefined
  readonly count: number
  readonly size?: string | undefined
  readonly quality?: string | undefined
  /** Undefined leaves it to the name of the file. */
  readonly format?: keyof typeof imageFormats | undefined
  readonly image?: readonly string[] | undefined
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

/** The same, once it is known in which form the images are asked for. */
type FormedOptions = ImageOptions &
  Required<Pick<ImageOptions, 'format'>> & { readonly format: keyof typeof imageFormats }

type Reply = Exact<ImageReply>

export async function image(context: Context, words: readonly string[], options: ImageOptions): Promise<void> {
  const { terminal } = context
  const prompt = await readText(words, terminal.input)
  if (prompt === null || prompt.trim() === '') {
    throw new CommandError('There is no prompt.', {
      advice: 'Say what the image shows: svc image "…"',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const api = await context.api()
  const format = outputFormat(imageFormats, { output: options.output, format: options.format, usual: 'png' })
  const files = await reserveAll(context, { ...options, format })
  try {
    const model = options.model ?? (await defaultModel(api, 'image', terminal.signal))
    const reply = await make(context, api, { ...options, format }, { model, prompt })
    await writeAll(context, files, { reply, format })
    await tell(context, files.slice(0, reply.data.length), model, reply)
  } catch (error) {
    await Promise.all(files.map((file) => file.discard()))
    throw error
  }
}

/** One name for one image; for several a number precedes the extension of the name. */
async function reserveAll({ terminal }: Context, options: FormedOptions): Promise<OutputFile[]> {
  const name = options.output ?? timedName('image', options.format, new Date())
  if (name === STANDARD_OUTPUT && options.count > 1) {
    throw new CommandError('Only one image fits into standard output.', { exitCode: exitCodes.wrongUsage })
  }
  const reserved: OutputFile[] = []
  try {
    for (let index = 1; index <= options.count; index++) {
      const numbered = options.count === 1 ? name : name.replace(/(\.\w+)?$/, `-${index}$1`)
      reserved.push(await reserveFile(numbered, { force: options.force === true, out: terminal.out }))
    }
    return reserved
  } catch (error) {
    await Promise.all(reserved.map((file) => file.discard()))
    throw error
  }
}

async function make(
  { terminal }: Context,
  { client, endpoints }: ApiConnection,
  options: FormedOptions,
  { model, prompt }: { readonly model: string; readonly prompt: string },
): Promise<Reply> {
  const body = {
    model,
    prompt,
    n: options.count,
    output_format: options.format,
    ...(options.size === undefined ? {} : { size: options.size }),
    ...(options.quality === undefined ? {} : { quality: options.quality }),
  }
  const call = { signal: terminal.signal }
  if (options.image === undefined) return client.call(endpoints.createImage, { body }, call)
  const images = await Promise.all(options.image.map(async (file) => ({ image_url: await readImageAddress(file) })))
  return client.call(endpoints.editImage, { body: { ...body, images } }, call)
}

interface Made {
  readonly reply: Reply
  readonly format: keyof typeof imageFormats
}

async function writeAll(
  { terminal, options }: Context,
  files: readonly OutputFile[],
  { reply, format }: Made,
): Promise<void> {
  const protocol = files.some(({ name }) => name !== null) ? await imageProtocol(terminal) : null
  for (const [index, file] of files.entries()) {
    const encoded = reply.data[index]?.b64_json
    if (encoded === undefined) {
      // Fewer came than were asked for: nothing stays where none is.
      await file.discard()
      continue
    }
    const bytes = Buffer.from(encoded, 'base64')
    await file.write(once(bytes))
    // A model that does not know the form sends its own: it is paid for, so it is kept, and said.
    const type = imageType(bytes)
    if (type !== null && type !== `image/${format}` && options.quiet !== true) {
      await terminal.notes.line(`${file.name ?? 'The image'} is ${type.slice(6)}: the model made no ${format}.`)
    }
    if (file.name !== null && protocol !== null) await showImage(terminal, protocol, bytes)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

async function tell(context: Context, files: readonly OutputFile[], model: string, reply: Reply): Promise<void> {
  const { terminal, options } = context
  const names = files.map(({ name }) => name).filter((name) => name !== null)
  if (options.json === true && names.length > 0) {
    // The images are in the files; JSON of their size would be of no use.
    await printJson(terminal.out, { ...reply, model, data: names.map((file) => ({ file })) })
    return
  }
  for (const name of names) await terminal.out.line(name)
  if (options.quiet === true) return
  await terminal.notes.line(`${creditsText(reply.svc.credits_charged)} · ${model} · ${countText(reply.data.length)}`)
}

function countText(count: number): string {
  return count === 1 ? '1 image' : `${count} images`
}
