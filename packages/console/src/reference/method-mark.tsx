import { clsx } from 'clsx'

/** The method of an operation as a small mark. */
export function MethodMark({ method }: { readonly method: string }) {
  return (
    <span
      className={clsx(
        'inline-block w-14 shrink-0 rounded text-center font-mono text-[11px] leading-5 font-medium',
        method === 'GET' && 'bg-sunken text-soft',
        method === 'POST' && 'bg-accent-soft text-accent',
        method === 'DELETE' && 'bg-danger-soft text-danger',
      )}
    >
      {method}
    </span>
  )
}
