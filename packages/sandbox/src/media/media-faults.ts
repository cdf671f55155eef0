import type { MediaPrices } from '../prices.ts'
import type { MediaBehaviour, MediaScript } from './media-script.ts'

export type MediaType = MediaPrices['type']

/** A scripted model that makes or reads media. */
export interface MediaFault {
  /** What follows `svc-sandbox/`. */
  readonly name: string
  readonly prices: MediaPrices
  /** What a client of the gateway sees, in one sentence. */
  readonly clientSees: string
  /** What the client is charged, in one sentence. */
  readonly charged: string
  readonly behaviour: MediaBehaviour
}

/**
 * One cent for an image, a second of video, a hundred characters, and a hundred seconds of audio. Source: own choice.
 */
const CENT = 10n ** 16n
const PART_OF_CENT = 10n ** 14n
/** A million USD. */
const UNAFFORDABLE = 10n ** 24n

function pricesOf(type: MediaType, cent = CENT, part = PART_OF_CENT): MediaPrices {
  switch (type) {
    case 'image':
      return { type, perImage: cent, variants: [], perInputImage: null, perRequest: null }
    case 'video': {
      const some = { defaultResolution: '720p', defaultAudio: false, variants: [], perInputImage: null, minimum: null }
      return { type, perSecond: cent, ...some }
    }
    case 'speech':
      return { type, unit: 'character', perUnit: part }
    case 'transcription':
      return { type, perSecond: part }
  }
}

const NOTHING = 'Nothing.'
const REPORTED = 'The reported cost and the margin.'

type Refusal = Omit<Extract<MediaBehaviour, { readonly kind: 'refuse' }>, 'kind'>

function makes(
  type: MediaType,
  name: string,
  script: Partial<MediaScript>,
  told: readonly [string, string],
): MediaFault {
  const full = name === '' ? type : `${type}-${name}`
  const [clientSees, charged] = told
  return { name: full, prices: pricesOf(type), clientSees, charged, behaviour: { kind: 'make', script } }
}

function refuses(type: MediaType, name: string, refusal: Refusal, clientSees: string): MediaFault {
  const behaviour = { kind: 'refuse', ...refusal } as const
  return { name: `${type}-${name}`, prices: pricesOf(type), clientSees, charged: NOTHING, behaviour }
}

function other(type: MediaType, name: string, behaviour: MediaBehaviour, clientSees: string): MediaFault {
  return { name: `${type}-${name}`, prices: pricesOf(type), clientSees, charged: NOTHING, behaviour }
}

/** Faults that every kind of media has. */
function common(type: MediaType): readonly MediaFault[] {
  const limited = { status: 429, errorType: 'rate_limit_exceeded', message: 'Too many requests.', retryAfterSeconds: 3 }
  const flagged = { status: 403, errorType: 'content_policy_violation', message: 'The content was flagged, as asked.' }
  return [
    makes(type, '', {}, ['An ordinary answer.', REPORTED]),
    {
      ...makes(type, '402', {}, ['402 `insufficient_credits`: this model costs a million USD.', NOTHING]),
      prices: pricesOf(type, UNAFFORDABLE, UNAFFORDABLE),
    },
    refuses(type, '429', limited, '503 `server_is_overloaded` with `retry-after: 3`.'),
    refuses(
      type,
      '500',
      { status: 500, errorType: 'server', message: 'The sandbox broke, as asked.' },
      '502 `upstream_error`.',
    ),
    refuses(type, 'moderated', flagged, '400 `content_policy_violation`.'),
    other(type, 'html-error', { kind: 'page', status: 502 }, '502 `upstream_error`, as JSON.'),
    other(type, 'html-200', { kind: 'page', status: 200 }, '502 `upstream_error`, as JSON.'),
    other(type, 'error-200', { kind: 'error-body' }, '502 `upstream_error`: the upstream said 200 and sent an error.'),
    makes(type, 'slow', { isSlow: true }, ['An ordinary answer that takes seconds longer.', REPORTED]),
  ]
}

/**
 * Every scripted model of media. `docs/sandbox.md` shows the same table, and a test compares the two.
 */
export const mediaFaults: readonly MediaFault[] = [
  ...common('image'),
  other('image', 'hang', { kind: 'silence' }, '504 `upstream_timeout`.'),
  makes('image', 'empty', { result: 'empty' }, ['502 `upstream_empty`: the list of images is empty.', NOTHING]),
  makes('image', 'blank', { result: 'blank' }, ['502 `upstream_empty`: an entry without an image.', NOTHING]),
  makes('image', 'broken', { result: 'broken' }, ['502 `upstream_empty`: what came is no image.', NOTHING]),
  makes('image', 'one', { result: 'one' }, [
    'As many images as asked for, though the upstream makes one a call.',
    'The reported cost of those that came, and the margin.',
  ]),
  makes('image', 'cut', { result: 'cut' }, ['502 `upstream_error`: the answer breaks off.', NOTHING]),
  makes('image', 'no-cost', { reportsCost: false }, ['An ordinary answer.', 'The list price and the margin.']),
  ...common('video'),
  makes('video', 'fails', { job: 'fails' }, ['A job that becomes `failed` after a while.', NOTHING]),
  makes('video', 'cancelled', { job: 'cancelled' }, ['A job that the upstream gives up: `failed`.', NOTHING]),
  makes('video', 'expires', { job: 'expires' }, ['A job whose time runs out at the upstream: `failed`.', NOTHING]),
  makes('video', 'stuck', { job: 'stuck' }, ['A job that stays `in_progress`.', NOTHING]),
  makes('video', 'flaky', { job: 'flaky' }, [
    'A job that is done though the upstream cannot be asked about it at first.',
    REPORTED,
  ]),
  makes('video', 'empty', { result: 'empty' }, ['A job that is done without a file: `failed`.', NOTHING]),
  makes('video', 'no-cost', { reportsCost: false }, ['A job that is done.', 'The list price and the margin.']),
  ...common('speech'),
  other('speech', 'hang', { kind: 'silence' }, '504 `upstream_timeout`.'),
  makes('speech', 'empty', { result: 'empty' }, ['502 `upstream_empty`: not one byte of audio.', NOTHING]),
  makes('speech', 'cut', { result: 'cut' }, [
    'Half of the audio, then a broken connection.',
    'The characters: audio was delivered.',
  ]),
  ...common('transcription'),
  other('transcription', 'hang', { kind: 'silence' }, '504 `upstream_timeout`.'),
  makes('transcription', 'empty', { result: 'empty' }, [
    'An ordinary answer with an empty text: nothing was said.',
    'The flat estimate: silence was read, too.',
  ]),
  makes('transcription', 'blank', { result: 'blank' }, [
    'Text without times: the gateway fills in what clients need.',
    'The flat estimate.',
  ]),
  makes('transcription', 'cut', { result: 'cut' }, ['502 `upstream_error`: the answer breaks off.', NOTHING]),
  makes('transcription', 'no-cost', { reportsCost: false }, ['An ordinary answer.', 'The flat estimate.']),
]
