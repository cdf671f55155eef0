import type { OperatorSettings } from '@svc/contract'
import type { ReactNode } from 'react'
import { Time } from '../../ui/time.tsx'

/** Who set something and when; else what there is to say. */
export type Who = (name: keyof OperatorSettings, otherwise: string) => ReactNode

interface SetByProps {
  readonly fact: { readonly at: number; readonly by: string | null } | undefined
  readonly otherwise: string
}

/** Who has set a value, and when. */
export function SetBy({ fact, otherwise }: SetByProps) {
  if (fact === undefined) return otherwise
  return (
    <>
      Set <Time seconds={fact.at} />
      {fact.by !== null && ` by ${fact.by}`}.
    </>
  )
}
