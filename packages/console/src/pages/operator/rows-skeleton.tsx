import { Skeleton } from '../../ui/skeleton.tsx'

const ROWS = 6

/** A table that is on its way. */
export function RowsSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      {Array.from({ length: ROWS }, (_, row) => (
        <Skeleton key={row} className="h-9 w-full" />
      ))}
    </div>
  )
}
