/** One text that is spoken. */
import type { SpeechFormat } from '../../platform/audio/speech-format.ts'
import { codeOf } from '../../platform/errors/code-of.ts'
import { findMediaModel } from '../../pipeline/find-model.ts'
import type { StreamEnd } from '../../pipeline/frame-writer.ts'
import { noteProgress } from '../../pipeline/note-progress.ts'
import type { Paid, PaidDeps, PaidTask, PaidWork, Priced } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import { chargeUnits } from '../../pricing/charge-media.ts'
import { spokenUnits } from '../../pricing/delivered-part.ts'
import type { UpstreamSpeech } from '../../upstreams/speech-upstream.ts'
import type { SpeechCall } from './parse-speech.ts'
import { brokenAudio } from './audio-events.ts'
import type { AudioReader } from './audio-reader.ts'
import { boundSpeech } from './speech-bound.ts'
import { type LastAudio, type AudioEnd, SpeechDelivery } from './speech-delivery.ts'
import { lengthOf, type SpeechTarget, speechTarget } from './speech-target.ts'

/** One speech request of one caller. */
export type SpeechTask = PaidTask<SpeechCall>

/** An audio file that was passed on, but for its last piece. */
interface SpokenAudio {
  readonly generationId: string | null
  readonly end: AudioEnd
}

/** The form of the audio, as far as its length depends on it. */
interface SpeechForm {
  readonly format: SpeechFormat
  readonly speed: number
}

/**
 * Prices an audio file that is over. It is charged whole whichever part of the gateway ends it, since upstreams bill
 * the text with the first audio of it; where the upstream broke off, the part that came is charged.
 */
function price(
  { target, hold }: Paid<SpeechTarget>,
  form: SpeechForm,
  { generationId, end }: SpokenAudio,
): Priced<LastAudio> {
  const { prices, units, charge } = target
  const rest = { tokens: {}, generationId, render: () => end.last }
  if (end.error === null) {
    return { ...rest, charge, estimated: false, status: 'ok', errorCode: null, failure: null }
  }
  const failure = brokenAudio(end.error)
  if (end.isCallerGone) return { ...rest, charge, estimated: false, status: 'cancelled', errorCode: null, failure }
  if (hold.ended.signal.aborted) {
    return { ...rest, charge, estimated: false, status: 'incomplete', errorCode: codeOf(failure), failure }
  }
  const part = chargeUnits(prices, spokenUnits(units, { ...form, bytes: end.bytes }))
  return { ...rest, charge: part, estimated: true, status: 'incomplete', errorCode: codeOf(failure), failure }
}

/** What the request is charged if this process dies while the audio comes: all, as it is for every caller. */
function journal({ hold, target }: Paid<SpeechTarget>, { generationId }: UpstreamSpeech): void {
  const { charge, cost, pricing } = target.charge
  const tokens = { promptTokens: 0, completionTokens: 0 }
  noteProgress(hold, target, () => ({ charge, cost, pricing, ...tokens, generationId, verdict: 'priced' }))
}

/** Makes the pipeline's work of a text to speak. */
export function speechWork<Answer, Reply, End>(
  deps: PaidDeps,
  { call, caller }: SpeechTask,
  begin: PaidWork<SpeechTarget, Answer, Reply, End>['begin'],
): PaidWork<SpeechTarget, Answer, Reply, End> {
  const { request } = call
  return {
    type: 'speech',
    model: request.model,
    stream: request.stream_format === 'sse',
    // The audio leaves as it comes, in every form of the answer.
    sendsBeforeSettlement: true,
    findModel: () => findMediaModel(deps, caller, { id: request.model, type: 'speech' }),
    selectTarget: () => speechTarget(call, formatOf(call)),
    bound: ({ targets }) => {
      const lists = targets.map(({ prices }) => prices)
      return boundSpeech(lists, lengthOf(request.input))
    },
    begin,
  }
}

function formatOf({ request }: SpeechCall): SpeechFormat {
  return request.response_format ?? 'mp3'
}

/**
 * Speaks a text and charges it. The charge is durable before the last byte is sent.
 *
 * Rejects only when nothing was sent yet; a later failure ends the answer before its end.
 * Source: spec 2.6 and billing rule 3; decision 0025 (speech and transcription).
 *
 * @throws {ServiceError} for everything that fails before the first audio; the request is then free.
 */
export function speakText(deps: PaidDeps, task: SpeechTask, reader: AudioReader): Promise<StreamEnd> {
  const { call } = task
  const form: SpeechForm = { format: formatOf(call), speed: call.request.speed ?? 1 }
  const work = speechWork<SpokenAudio, LastAudio, StreamEnd>(deps, task, (paid) => {
    const delivery = new SpeechDelivery(reader)
    const { signal } = paid.hold.ended
    const { confidential } = paid.model
    return {
      sink: delivery,
      ask: async ({ port, upstreamModel, voice, charge: { charge } }) => {
        const { format } = form
        const speech = await port.speak({ body: call.body, upstreamModel, format, voice, confidential, signal })
        journal(paid, speech)
        paid.hold.noteFirstContent()
        return { generationId: speech.generationId, end: await delivery.passOn(speech, charge) }
      },
      // No cost comes with an audio file, and the text is charged whatever it was.
      reportsOf: () => [],
      price: async (spoken) => price(paid, form, spoken),
    }
  })
  return runPaid(deps, task, work)
}
