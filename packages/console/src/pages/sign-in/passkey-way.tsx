import { KeyRound } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { endOffer, enterByPasskey, offerPasskeys } from '../../api/passkeys.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from './problem.tsx'
import { useEnter } from './use-enter.ts'

/** A little less than what the gateway asks for counts. Source: decision 0175. */
const OFFER_MS = 4 * 60_000

/** Signs in by a passkey: by a press of the button, or by one that the browser offers where the address is typed. */
export function PasskeyWay({ onEntered }: { readonly onEntered: () => void }) {
  const { enter, isBusy, problem } = useEnter(onEntered)
  /** Of offers: each ends by itself, and by a press of the button. */
  const [round, setRound] = useState(0)
  const next = (): void => setRound((before) => before + 1)
  const enterBy = useRef(enter)
  /** Whether the person is asked by the button: an offer would take that back. */
  const isAsking = useRef(false)
  useEffect(() => {
    enterBy.current = enter
  })
  useEffect(() => {
    let isOver = false
    const offer = async (): Promise<void> => {
      // A browser that makes no offers, or a gateway that is away, leaves the button.
      const way = await offerPasskeys().catch(() => null)
      if (way === null || isOver) return
      await enterBy.current(way)
      if (!isOver) next()
    }
    void offer()
    const again = setInterval(() => void (isAsking.current || void offer()), OFFER_MS)
    return () => {
      isOver = true
      clearInterval(again)
      void endOffer().catch(() => undefined)
    }
  }, [round])
  const press = async (): Promise<void> => {
    isAsking.current = true
    await enter(enterByPasskey)
    isAsking.current = false
    next()
  }
  return (
    <div className="flex flex-col gap-3">
      <Button look="secondary" className="h-10" isBusy={isBusy} onClick={() => void press()}>
        <KeyRound size={16} aria-hidden />
        Sign in with a passkey
      </Button>
      <Problem text={problem} />
    </div>
  )
}
