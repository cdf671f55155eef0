/** `svc video`: submits a job, waits for it, fetches the file. What was submitted can be taken up again by its id. */
import type { Exact, VideoReply } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { readImageAddress } from '../chat/attach.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { countText } from '../count-text.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { type OutputFile, reserveFile, timedName } from '../files/output-file.ts'
import { outputFormat, videoFormats } from '../files/output-format.ts'
import { defaultModel } from '../default-model.ts'
import { printJson } from '../print-json.ts'
import { createProgressLine } from '../terminal/progress-line.ts'
import { pause } from '../terminal/pause.ts'
import { readText } from '../terminal/read-input.ts'

export interface VideoOptions {
  readonly model?: string | undefined
  readonly duration?: number | undefined
  readonly size?: string | undefined
  readonly resolution?: string | undefined
  readonly image?: string | undefined
  readonly job?: string | undefined
  readonly wait: boolean
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

type Job = Exact<VideoReply>

/** How long between two looks, in seconds: the job does not hurry for being watched. Source: OpenAI's clients. */
const POLL_SECONDS = 2

export async function video(context: Context, words: readonly string[], options: VideoOptions): Promise<void> {
  const { terminal } = context
  const api = await context.api()
  if (!options.wait && options.job === undefined) {
    await reportSubmitted(context, await submit(context, api, words, options))
    return
  }
  // Reserved before anything is paid for.
  const format = outputFormat(videoFormats, { output: options.output, format: undefined, usual: 'mp4' })
  const name = options.output ?? timedName('video', format, new Date())
  const file = await reserveFile(name, { force: options.force === true, out: terminal.out })
  try {
    const job =
      options.job === undefined ? await submit(context, api, words, options) : await look(context, api, options.job)
    await follow(context, api, job, file)
  } catch (error) {
    await file.discard()
    throw error
  }
}

async function submit(
  context: Context,
  api: ApiConnection,
  words: readonly string[],
  options: VideoOptions,
): Promise<Job> {
  const { terminal } = context
  const prompt = await readText(words, terminal.input)
  if ((prompt === null || prompt.trim() === '') && options.image === undefined) {
    throw new CommandError('There is no prompt.', {
      advice: 'Say what the video shows: svc video "…"',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const model = options.model ?? (await defaultModel(api, 'video', terminal.signal))
  const body = {
    model,
    ...(prompt === null ? {} : { prompt }),
    ...(options.duration === undefined ? {} : { duration: options.duration }),
    ...(options.size === undefined ? {} : { size: options.size }),
    ...(options.resolution === undefined ? {} : { resolution: options.resolution }),
    ...(options.image === undefined ? {} : { input_reference: { image_url: await readImageAddress(options.image) } }),
  }
  return api.client.call(api.endpoints.createVideo, { body }, { signal: terminal.signal })
}

function look({ terminal }: Context, { client, endpoints }: ApiConnection, jobId: string): Promise<Job> {
  return client.call(endpoints.getVideo, { path: { jobId } }, { signal: terminal.signal })
}

/** Waits, with a bar; an interrupt leaves the job running and says how to take it up again. */
async function follow(context: Context, api: ApiConnection, submitted: Job, file: OutputFile): Promise<void> {
  const { terminal } = context
  const line = createProgressLine(terminal.notes)
  let job = submitted
  try {
    while (job.status === 'queued' || job.status === 'in_progress') {
      await line.show(job.progress, job.status === 'queued' ? 'waiting for its turn' : 'making the video')
      await pause(POLL_SECONDS, terminal.signal)
      job = await look(context, api, job.id)
    }
  } catch (error) {
    await line.clear()
    if (terminal.signal.aborted && context.options.quiet !== true) {
      await terminal.notes.line(`The job goes on. Take it up again with: svc video --job ${job.id}`)
    }
    throw error
  }
  await line.clear()
  if (job.status === 'failed') {
    throw new CommandError(job.error?.message ?? 'The video could not be made.', { advice: 'It costs nothing.' })
  }
  await fetchFile(context, api, job, file)
}

async function fetchFile(context: Context, api: ApiConnection, job: Job, file: OutputFile): Promise<void> {
  const { terminal } = context
  const path = { jobId: job.id }
  const reply = await api.client.open(api.endpoints.getVideoContent, { path }, { signal: terminal.signal })
  const bytes = await file.write(reply.bytes)
  const charged = job.svc.credits_charged ?? null
  if (context.options.json === true && file.name !== null) {
    await printJson(terminal.out, { ...job, file: file.name, bytes })
    return
  }
  if (file.name !== null) await terminal.out.line(file.name)
  if (context.options.quiet === true) return
  const charge = charged === null ? 'charge unknown' : creditsText(charged)
  await terminal.notes.line(`${charge} · ${job.model} · ${job.seconds} s · ${countText(bytes)} bytes`)
}

async function reportSubmitted({ terminal, options }: Context, job: Job): Promise<void> {
  if (options.json === true) {
    await printJson(terminal.out, job)
    return
  }
  await terminal.out.line(job.id)
  if (options.quiet === true) return
  const held = creditsText(job.svc.credits_estimate)
  await terminal.notes.line(`Submitted; ${held} are held. Fetch it with: svc video --job ${job.id}`)
}
