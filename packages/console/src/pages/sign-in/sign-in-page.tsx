import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../../api/session.ts'
import { removeEarlyForm } from './early-form.ts'
import { Gate } from './gate.tsx'
import { SignInWays } from './sign-in-ways.tsx'
import { openNext } from './use-enter.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { gateway } = useSession()
  const { next } = route.useSearch()
  // Its fields have handed over what they had by then.
  useEffect(removeEarlyForm, [])
  return (
    <Gate title={`Sign in to ${gateway.brand}`}>
      <SignInWays next={next} onEntered={openNext(next)} />
      {gateway.sign_in.first_run && !gateway.sign_in.demo && (
        <p className="text-soft">This gateway has no operator yet. Open the link that it printed when it started.</p>
      )}
      {gateway.terms_url !== null && (
        <p className="text-[12px] text-soft">
          By signing in you accept the{' '}
          <a href={gateway.terms_url} className="underline underline-offset-2" rel="noreferrer">
            terms
          </a>
          .
        </p>
      )}
    </Gate>
  )
}
