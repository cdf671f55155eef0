import type { AnswerShape } from './compose-answer.ts'

/** How an answer differs from an ordinary one. */
export interface AnswerScript {
  readonly shape: AnswerShape
  /** Where usage is reported; `late` means by the look-up only. */
  readonly usage: 'last' | 'none' | 'late' | 'every-chunk' | 'finish-chunk'
  readonly reportsCost: boolean
  /** How often each token of the answer is counted in the usage. */
  readonly usageFactor: number
  /** Tokens after which the answer ends with `length`; null for the request's own limit. */
  readonly limit: number | null
  /** What happens after `breakAfter` chunks. */
  readonly breaks: 'never' | 'cut' | 'error' | 'hang'
  readonly breakAfter: number
  readonly isSlow: boolean
  readonly wire: 'plain' | 'fragments' | 'odd-frames'
  readonly sendsDone: boolean
  readonly sendsContentType: boolean
}

/** The script of a model that works. */
export const ordinaryScript: AnswerScript = {
  shape: 'plain',
  usage: 'last',
  reportsCost: true,
  usageFactor: 1,
  limit: null,
  breaks: 'never',
  breakAfter: 0,
  isSlow: false,
  wire: 'plain',
  sendsDone: true,
  sendsContentType: true,
}

/** What a scripted model does with a request. */
export type FaultBehaviour =
  | { readonly kind: 'answer'; readonly script: Partial<AnswerScript> }
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly errorType: string
      readonly message: string
      readonly retryAfterSeconds?: number
    }
  | { readonly kind: 'page'; readonly status: number }
  | { readonly kind: 'error-body' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'flood' }
