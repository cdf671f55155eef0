import { ApiError } from '@svc/contract'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { textLink } from '../ui/text-link.ts'

/** What went wrong, what to do, and the id to tell the operator. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const requestId = error instanceof ApiError ? error.requestId : null
  const again = (): void => {
    reset()
    void router.invalidate()
  }
  return (
    <div role="alert" className="mx-auto flex w-full max-w-md flex-col items-start gap-3 py-16">
      <h1 className="text-lg font-semibold">This page could not be shown</h1>
      <p className="text-soft">{error instanceof Error ? error.message : 'That did not work.'}</p>
      {requestId !== null && <p className="font-mono text-[12px] text-soft">Request {requestId}</p>}
      <div className="flex items-center gap-4">
        <Button onClick={again}>Try again</Button>
        <Link to="/" className={textLink}>
          To the overview
        </Link>
      </div>
    </div>
  )
}

export function NotFoundPage() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col items-start justify-center gap-4 px-6 py-12">
      <Logo size={40} />
      <h1 className="text-2xl leading-8 font-semibold">There is nothing at this address</h1>
      <Link to="/" className={textLink}>
        To the overview
      </Link>
    </main>
  )
}
