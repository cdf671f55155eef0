import { Link } from '@tanstack/react-router'
import { useTeam } from '../../api/session.ts'
import type { PlaygroundTab } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import type { Model } from './model-list.ts'

/** Where the playground tries a kind of model; it has no place for the others. */
const TABS: Readonly<Partial<Record<Model['svc']['type'], PlaygroundTab>>> = {
  text: 'chat',
  image: 'image',
  video: 'video',
  speech: 'audio',
  transcription: 'audio',
}

/** To the playground with this model picked; nothing for kinds that it cannot try. */
export function TryLink({ model: { id, name, svc } }: { readonly model: Model }) {
  const team = useTeam()
  const tab = TABS[svc.type]
  if (tab === undefined) return null
  return (
    <Link
      to="/team/$teamId/playground"
      params={{ teamId: team.id }}
      search={{ model: id, ...(tab === 'chat' ? {} : { tab }) }}
      className={buttonLook('secondary')}
      aria-label={`Try it: ${name}`}
    >
      Try it
    </Link>
  )
}
