import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { toast } from './toasts.tsx'

const SHOWN_MS = 2_000

interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  readonly text: string
  /** What is copied, such as "the key": the name of the button where it says no more than "Copy". */
  readonly what: string
  readonly onCopied?: () => void
}

/** Copies a text and says so. */
export function CopyButton({ text, what, onCopied, children, ...rest }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      onCopied?.()
    } catch {
      toast.failure(new Error('The browser blocked the copy. Select the text and copy it manually.'))
    }
  }
  const Icon = isCopied ? Check : Copy
  return (
    <Button
      look="secondary"
      {...(children === undefined ? { 'aria-label': `Copy ${what}` } : {})}
      {...rest}
      onClick={() => void copy()}
    >
      <Icon size={14} aria-hidden />
      <span aria-live="polite">{isCopied ? 'Copied' : (children ?? 'Copy')}</span>
    </Button>
  )
}
