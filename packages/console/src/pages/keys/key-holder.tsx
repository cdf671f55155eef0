/** Whose a key is, who has seen its secret, and what follows from that. */
import type { Exact, TeamKey } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { useTeam } from '../../api/session.ts'
import { Fact } from '../../ui/facts.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'

interface KeyProps {
  readonly target: Exact<TeamKey>
}

const KINDS: Readonly<Record<TeamKey['kind'], string>> = {
  personal: 'a personal key',
  service: 'a service key of the team',
  playground: 'a key of the playground',
}

const nameOf = ({ name }: { readonly name: string }): string => (name === '' ? 'a former member' : name)

/** Rows for the details of a key. */
export function KeyHolderFacts({ target }: KeyProps) {
  const team = useTeam()
  const { kind, made_by: maker, seen_by: readers, mirrored_by: origin } = target
  return (
    <>
      <Fact name="Kind">
        {KINDS[kind]}
        {kind !== 'service' && maker !== null && `: it ends when ${nameOf(maker)} may have no keys in the team`}
      </Fact>
      <Fact name="Secret seen by">
        {readers.length === 0 ? 'no one in the console' : readers.map(nameOf).join(', ')}
      </Fact>
      {origin !== null && (
        <Fact name="Mirrors">
          <Link to="/team/$teamId/keys/$keyId" params={{ teamId: team.id, keyId: origin }} className={textLink}>
            another key
          </Link>
          , with its budget, models, limit and end
        </Fact>
      )}
    </>
  )
}

/** Says that a key has to be rotated, and by when. */
export function RotateNote({ target: { rotate_by: end } }: KeyProps) {
  if (end === null) return null
  return (
    <p className="rounded-lg bg-warning-soft px-4 py-3 text-warning">
      Replace this key: a former key manager has seen its secret. It ends <Time seconds={end} />.
    </p>
  )
}

/** The same in a row of a list. */
export function RotateMark({ target: { rotate_by: end } }: KeyProps) {
  if (end === null) return null
  return (
    <div className="text-[12px] text-warning">
      replace it: it ends <Time seconds={end} />
    </div>
  )
}
