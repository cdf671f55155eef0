import { clsx } from 'clsx'

/** Fills the place of something that will be there, in its true size. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden data-skeleton className={clsx('animate-pulse rounded bg-line/70', className)} />
}

/** A page that is on its way. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4 p-1">
      <Skeleton className="h-7 w-40" />
      <Skeleton className="h-28 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  )
}
