import { ownMember } from '@svc/contract'
import { AudioLines, File, Image, type LucideIcon, Type, Video } from 'lucide-react'

const ICONS: Readonly<Record<string, LucideIcon>> = { text: Type, image: Image, video: Video, audio: AudioLines }

/** Kinds of content as small marks. */
export function Modalities({ kinds }: { readonly kinds: readonly string[] }) {
  return (
    <ul className="flex gap-1.5 text-soft">
      {kinds.map((kind) => {
        const Icon = ownMember(ICONS, kind) ?? File
        return (
          <li key={kind} title={kind}>
            <Icon size={15} aria-hidden />
            <span className="sr-only">{kind}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** @param tokens null where the list does not say. */
export function contextText(tokens: number | null): string {
  if (tokens === null) return ''
  return tokens >= 1_000_000 ? `${Math.round(tokens / 10_000) / 100}M` : `${Math.round(tokens / 1_000)}K`
}
