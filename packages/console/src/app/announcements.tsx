import type { Announcement } from '@svc/contract'
import { clsx } from 'clsx'
import { Megaphone, Wrench, X } from 'lucide-react'
import { useState } from 'react'
import { announcementText, dismissedIds, rememberDismissed } from './dismissed.ts'

/** What operators tell everybody, above every page. A person dismisses each of them for good in this browser. */
export function Announcements({ announcements }: { readonly announcements: readonly Announcement[] }) {
  const [dismissed, setDismissed] = useState(dismissedIds)
  const shown = announcements.filter(({ id }) => !dismissed.includes(id))
  if (shown.length === 0) return null
  return (
    <ul className="mb-6 flex flex-col gap-2 print:hidden" aria-label="Announcements">
      {shown.map((announcement) => (
        <Banner
          key={announcement.id}
          announcement={announcement}
          onDismiss={() =>
            setDismissed(
              rememberDismissed(
                announcement.id,
                announcements.map(({ id }) => id),
              ),
            )
          }
        />
      ))}
    </ul>
  )
}

interface BannerProps {
  readonly announcement: Announcement
  readonly onDismiss: () => void
}

function Banner({ announcement, onDismiss }: BannerProps) {
  const { kind, title, body } = announcement
  const isMaintenance = kind === 'maintenance'
  const Icon = isMaintenance ? Wrench : Megaphone
  return (
    <li
      className={clsx(
        'flex items-start gap-3 rounded-lg px-4 py-3',
        isMaintenance ? 'bg-warning-soft' : 'bg-accent-soft',
      )}
    >
      <Icon size={16} aria-hidden className={clsx('mt-0.5 shrink-0', isMaintenance ? 'text-warning' : 'text-accent')} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold break-words">{title}</p>
        {isMaintenance && <p className="figures">{announcementText(announcement)}</p>}
        <p className="break-words whitespace-pre-line">{body}</p>
      </div>
      <button
        type="button"
        onClick={onDismiss}
        aria-label={`Dismiss: ${title}`}
        className="-m-1 shrink-0 rounded p-1.5 hover:bg-surface"
      >
        <X size={16} aria-hidden />
      </button>
    </li>
  )
}
