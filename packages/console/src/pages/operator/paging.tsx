import { Link } from '@tanstack/react-router'

interface PagingProps {
  /** Where this page begins; absent for the newest. */
  readonly after: string | undefined
  /** Where the next one begins; absent where there is none. */
  readonly next: string | undefined
  /** What the rows are, in the plural. */
  readonly what: string
}

type Search = Record<string, string | undefined>

const look = 'text-accent underline underline-offset-2'

/** The way to older rows and back. Filters stay. */
export function Paging({ after, next, what }: PagingProps) {
  if (after === undefined && next === undefined) return null
  return (
    <div className="flex justify-between gap-3">
      {after === undefined ? (
        <span />
      ) : (
        <Link to="." search={({ after: _after, ...rest }: Search) => rest} className={look}>
          Newest {what}
        </Link>
      )}
      {next !== undefined && (
        <Link to="." search={(search: Search) => ({ ...search, after: next })} className={look}>
          Older {what}
        </Link>
      )}
    </div>
  )
}
