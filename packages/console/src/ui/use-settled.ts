import { useEffect, useState } from 'react'

/** How long a value must stay before it is worth a request, in milliseconds. Source: own choice. */
const TYPING_MS = 250

/** The value as it was when it last stayed the same for a moment: for what is asked while the person types. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
