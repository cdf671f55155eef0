/** Quotes of work that makes or reads media. */
import { ZERO } from '@svc/contract'
import { imageLines } from '../modalities/images/image-bound.ts'
import { type ImageDeps, imageSize, type ImageTask, imageWork } from '../modalities/images/image-work.ts'
import { type SpeechTask, speechWork } from '../modalities/speech/speak-text.ts'
import { speechLine } from '../modalities/speech/speech-bound.ts'
import { lengthOf } from '../modalities/speech/speech-target.ts'
import { boundAudio, wholeSeconds } from '../modalities/transcription/audio-bound.ts'
import type { TranscriptionFields } from '../modalities/transcription/parse-transcription.ts'
import { type AudioTarget, audioTarget } from '../modalities/transcription/transcription-work.ts'
import { type VideoTask, videoWork } from '../modalities/videos/submit-video.ts'
import { videoLines } from '../modalities/videos/video-target.ts'
import { findMediaModel } from '../pipeline/find-model.ts'
import type { PaidDeps, PaidTask } from '../pipeline/paid-work.ts'
import { chargeSeconds } from '../pricing/charge-media.ts'
import { chargeRenders } from './charge-usage.ts'
import { beginsNothing, type BoundedWork, quoted, type TakeQuote } from './quoted-work.ts'

export function quoteImages(deps: ImageDeps, task: ImageTask): TakeQuote {
  const { settings, count, inputs } = task.call
  const usage = { ...settings, count, inputs: inputs.length }
  return quoted(imageWork(deps, task, beginsNothing), ({ targets }) => {
    const lists = targets.map(({ offer }) => offer.prices)
    const [{ offer }] = targets
    return {
      fixed: ZERO,
      likely: chargeRenders(offer.prices, usage).charge,
      lines: imageLines(lists, imageSize(task.call)),
    }
  })
}

export function quoteSpeech(deps: PaidDeps, task: SpeechTask): TakeQuote {
  return quoted(speechWork(deps, task, beginsNothing), ({ targets }) => {
    const lists = targets.map(({ prices }) => prices)
    const [{ charge }] = targets
    return { fixed: ZERO, likely: charge.charge, lines: [speechLine(lists, lengthOf(task.call.request.input))] }
  })
}

export function quoteVideo(deps: PaidDeps, task: VideoTask): TakeQuote {
  return quoted(videoWork(deps, task, beginsNothing), ({ targets }) => ({
    fixed: ZERO,
    likely: targets[0].estimate,
    lines: videoLines(targets),
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
  return quoted(work, ({ targets: [{ prices }] }, { perUnit, units }) => ({
    fixed: ZERO,
    likely: chargeSeconds(prices, seconds).charge,
    lines: [{ unit: 'seconds', quantity: units, perUnit }],
  }))
}
