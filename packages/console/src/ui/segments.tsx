import { clsx } from 'clsx'

interface SegmentsProps<Value extends string> {
  /** What is chosen here. */
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly text: string }[]
  readonly onPick: (value: Value) => void
}

/** A few ways to look at something, of which one is chosen. */
export function Segments<Value extends string>({ label, value, options, onPick }: SegmentsProps<Value>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex max-w-full flex-wrap rounded border border-line bg-sunken p-0.5 text-[12px]"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
          className={clsx(
            'rounded-[6px] px-2 py-0.5 max-md:px-2.5 max-md:py-1.5',
            option.value === value
              ? 'bg-control font-medium shadow-[0_0_0_1px_var(--line)]'
              : 'text-soft hover:text-text',
          )}
        >
          {option.text}
        </button>
      ))}
    </div>
  )
}
