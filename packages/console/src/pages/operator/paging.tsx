import { Link } from '@tanstack/react-router'
import { textLink } from '../../ui/text-link.ts'

interface PagingProps {
  /** Where this page begins; absent for the newest. */
  readonly after: string | undefined
  /** Where the next one begins; absent where there is none. */
  readonly next: string | undefined
  /** What the rows are, in the plural. */
  readonly what: string
}

type Search = Record<string, string | undefined>

/** The way to older rows and back. Filters stay. */
export function Paging({ after, next, what }: PagingProps) {
  if (after === undefined && next === undefined) return null
  return (
    <div className="flex justify-between gap-3">
      {after === undefined ? (
        <span />
      ) : (
        <Link to="." search={({ after: _after, ...rest }: Search) => rest} className={textLink}>
          Newest {what}
        </Link>
      )}
      {next !== undefined && (
        <Link to="." search={(search: Search) => ({ ...search, after: next })} className={textLink}>
          Older {what}
        </Link>
      )}
    </div>
  )
}
