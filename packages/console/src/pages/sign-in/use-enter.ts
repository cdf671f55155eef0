import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../../api/session.ts'
import { awaitsCode } from '../../api/sign-in.ts'

/**
 * Only a place of this console or its documentation: a link from elsewhere cannot send a person away after they have
 * signed in.
 *
 * @param next as browsers name it, or below the console as the router does.
 */
export function placeAfter(next: string | undefined): string {
  if (next === undefined) return '/console'
  if (/^\/(?:console|docs)(?:[/?#]|$)/.test(next)) return next
  return /^\/[a-z]/.test(next) ? `/console${next}` : '/console'
}

export interface Enter {
  readonly problem: string | null
  readonly isBusy: boolean
  /** Whether the person is to prove a second factor, by `SecondFactorForm`. */
  readonly wantsCode: boolean
  readonly enter: (way: () => Promise<unknown>) => Promise<void>
}

/** Opens the page that was asked for, anew: another person may be signed in than before. */
export function openNext(next: string | undefined): () => void {
  return () => location.assign(placeAfter(next))
}

/** Runs a way of signing in. @param onEntered is called when the session is there and known. */
export function useEnter(onEntered: () => void): Enter {
  const client = useQueryClient()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [wantsCode, setWantsCode] = useState(false)
  const enter = async (way: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      if (awaitsCode(await way())) {
        setWantsCode(true)
        return
      }
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      onEntered()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'That did not work.')
      setBusy(false)
    }
  }
  return { problem, isBusy, wantsCode, enter }
}
