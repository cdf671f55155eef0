import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, MouseEvent } from 'react'

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line bg-control text-text hover:border-line-strong',
  quiet: 'text-soft hover:bg-sunken hover:text-text',
  danger: 'bg-danger text-on-accent hover:opacity-90',
  warning: 'border border-line bg-control text-danger hover:border-danger',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS
  /** Shows that its work is under way, and takes no second click. */
  readonly isBusy?: boolean
}

/** The look of a button, for links that do what a button would. */
export function buttonLook(look: keyof typeof LOOKS): string {
  return clsx(
    'inline-flex h-8 shrink-0 items-center justify-center gap-2 rounded px-3',
    'font-medium whitespace-nowrap transition-colors max-md:h-10',
    'disabled:opacity-55 aria-disabled:opacity-55',
    LOOKS[look],
  )
}

export function Button(props: ButtonProps) {
  const { look = 'primary', isBusy = false, className, children, disabled, onClick, ...rest } = props
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    // The second click of a double click: it means one thing.
    if (isBusy || event.detail > 1) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type="button"
      className={clsx(buttonLook(look), className)}
      disabled={disabled === true && !isBusy}
      // One that is disabled loses the focus, and the keyboard its place.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={click}
      {...rest}
    >
      {isBusy && <LoaderCircle size={14} className="animate-spin" aria-hidden />}
      {children}
    </button>
  )
}
