import { Link } from '@tanstack/react-router'
import { Logo } from '../ui/logo.tsx'
import { textLink } from '../ui/text-link.ts'

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
