/** Quotes of work that makes or reads media. */
import { type ImageDeps, type ImageTask, imageWork } from '../modalities/images/image-work.ts'
import { type SpeechTask, speechWork } from '../modalities/speech/speak-text.ts'
import { boundAudio, wholeSeconds } from '../modalities/transcription/audio-bound.ts'
import type { TranscriptionFields } from '../modalities/transcription/parse-transcription.ts'
import { type AudioTarget, audioTarget } from '../modalities/transcription/transcription-work.ts'
import { type VideoTask, videoWork } from '../modalities/videos/submit-video.ts'
import { findMediaModel } from '../pipeline/find-model.ts'
import type { PaidDeps, PaidTask } from '../pipeline/paid-work.ts'
import { chargeSeconds } from '../pricing/charge-media.ts'
import { chargeRenders } from './charge-usage.ts'
import { beginsNothing, type BoundedWork, oneLine, quoted, type TakeQuote } from './quoted-work.ts'

export function quoteImages(deps: ImageDeps, task: ImageTask): TakeQuote {
  const { settings, count, inputs } = task.call
  const usage = { ...settings, count, inputs: inputs.length }
  return quoted(imageWork(deps, task, beginsNothing), ({ targets: [{ offer }] }, bound) => ({
    bound,
    likely: chargeRenders(offer.prices, usage).charge,
    lines: oneLine('images', bound.units, bound),
  }))
}

export function quoteSpeech(deps: PaidDeps, task: SpeechTask): TakeQuote {
  return quoted(speechWork(deps, task, beginsNothing), ({ targets: [{ charge, prices }] }, bound) => ({
    bound,
    likely: charge.charge,
    lines: oneLine(prices.unit === 'byte' ? 'bytes' : 'characters', bound.units, bound),
  }))
}

export function quoteVideo(deps: PaidDeps, task: VideoTask): TakeQuote {
  return quoted(videoWork(deps, task, beginsNothing), ({ targets: [{ estimate }] }, bound) => ({
    bound,
    likely: estimate,
    lines: oneLine('seconds', bound.units, bound),
  }))
}

/** An audio file as a quote knows it: the fields of its form, and how long it is. */
export interface QuotedAudio extends TranscriptionFields {
  readonly seconds: number
}

export function quoteTranscription(deps: PaidDeps, { call, caller }: PaidTask<QuotedAudio>): TakeQuote {
  const seconds = wholeSeconds(call.seconds)
  const work: BoundedWork<AudioTarget> = {
    ...{ type: 'transcription', model: call.model },
    findModel: () => findMediaModel(deps, caller, { id: call.model, type: 'transcription' }),
    selectTarget: () => audioTarget(call),
    bound: ({ targets }) => {
      const lists = targets.map(({ prices }) => prices)
      return boundAudio(lists, seconds)
    },
  }
  return quoted(work, ({ targets: [{ prices }] }, bound) => ({
    bound,
    likely: chargeSeconds(prices, seconds).charge,
    lines: oneLine('seconds', seconds, bound),
  }))
}
