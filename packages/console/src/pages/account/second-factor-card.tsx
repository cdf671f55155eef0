import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../api/people.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { SecondFactorDialog, type FactorStep } from './second-factor-dialog.tsx'

/** A code of an app besides the first way in. */
export function SecondFactorCard() {
  const { second_factor: factor } = useSuspenseQuery(accountQuery).data
  const [step, setStep] = useState<FactorStep | null>(null)
  const buttons = factor.is_on ? ON : OFF
  return (
    <Card title="Second factor">
      <p className="text-soft">
        {factor.is_on
          ? `On: signing in takes a code of your app, too, unless you use a passkey. ${factor.recovery_codes_left} recovery codes are left.`
          : 'Off: your email, password or wallet alone signs in as you.'}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        {buttons.map(({ name, text }) => (
          <Button key={name} look="secondary" onClick={() => setStep(name)}>
            {text}
          </Button>
        ))}
      </div>
      {step !== null && <SecondFactorDialog step={step} onClose={() => setStep(null)} />}
    </Card>
  )
}

const ON = [
  { name: 'codes', text: 'New recovery codes' },
  { name: 'off', text: 'Turn it off' },
] as const
const OFF = [{ name: 'on', text: 'Turn it on' }] as const
