import type { FaultBehaviour } from '../fault-behaviour.ts'

/** How media work differs from ordinary work. */
export interface MediaScript {
  readonly reportsCost: boolean
  readonly isSlow: boolean
  /**
   * What comes: all that was asked for, one of it only, nothing in an answer of the right form, something that is not
   * what it says, or half of it and then a broken connection.
   */
  readonly result: 'whole' | 'one' | 'empty' | 'blank' | 'broken' | 'cut'
  /** How a job ends; `stuck` never does, and `flaky` cannot be polled at first. */
  readonly job: 'completes' | 'fails' | 'cancelled' | 'expires' | 'stuck' | 'flaky'
}

/** The script of a model that works. */
export const ordinaryMedia: MediaScript = { reportsCost: true, isSlow: false, result: 'whole', job: 'completes' }

/** What a scripted model of media does with a request. */
export type MediaBehaviour =
  | { readonly kind: 'make'; readonly script: Partial<MediaScript> }
  | Extract<FaultBehaviour, { readonly kind: 'refuse' | 'page' | 'error-body' | 'silence' }>
