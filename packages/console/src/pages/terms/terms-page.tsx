import { clsx } from 'clsx'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { termsQuery } from '../../api/operator.ts'
import { Gate } from '../sign-in/gate.tsx'
import { textLink } from '../../ui/text-link.ts'

/** The terms, where the gateway shows them itself: plain text, never markup. */
export function TermsPage() {
  const { data } = useSuspenseQuery(termsQuery)
  return (
    <Gate title="Terms" isWide>
      {data.text !== null && <p className="leading-6 break-words whitespace-pre-wrap">{data.text}</p>}
      {data.text === null && data.url !== null && (
        <a href={data.url} rel="noreferrer" className={textLink}>
          The terms of {data.brand}
        </a>
      )}
      {data.text === null && data.url === null && <p className="text-soft">{data.brand} has set no terms.</p>}
      <Link to="/" className={clsx(textLink, 'self-start')}>
        To the console
      </Link>
    </Gate>
  )
}
