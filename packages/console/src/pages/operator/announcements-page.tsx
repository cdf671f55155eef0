import { consoleEndpoints, type OperatorAnnouncement } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { operatorAnnouncementsQuery } from '../../api/operator.ts'
import { announcementText } from '../../app/dismissed.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark, type Tone } from '../../ui/mark.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { AnnouncementDialog } from './announcement-dialog.tsx'
import { ReasonField } from './reason-field.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'
import { useOperatorAction } from './use-operator-action.ts'

const TONES: Readonly<Record<OperatorAnnouncement['state'], Tone>> = {
  shown: 'good',
  waiting: 'accent',
  over: 'plain',
  withdrawn: 'plain',
}

/** What the console shows to everyone who signs in: news, and when the gateway may not answer. */
export function AnnouncementsPage() {
  const { data, error } = useQuery(operatorAnnouncementsQuery)
  const [isMaking, setMaking] = useState(false)
  const make = (
    <Button onClick={() => setMaking(true)}>
      <Megaphone size={16} aria-hidden />
      New announcement
    </Button>
  )
  return (
    <Page
      title="Announcements"
      lead="Shown above every page of everybody who signs in, until they dismiss it or it ends."
      actions={data !== undefined && data.data.length > 0 && make}
    >
      <Failure error={error} />
      {data === undefined && error === null && <RowsSkeleton />}
      {data?.data.length === 0 && (
        <Empty text="Nothing was announced yet. News and maintenance are written here." action={make} />
      )}
      <div className="flex max-w-3xl flex-col gap-4">
        {data?.data.map((announcement) => (
          <AnnouncementCard key={announcement.id} announcement={announcement} />
        ))}
      </div>
      {isMaking && <AnnouncementDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function AnnouncementCard({ announcement }: { readonly announcement: OperatorAnnouncement }) {
  const { title, body, kind, state, created_at: at, created_by: by } = announcement
  const [isAsking, setAsking] = useState(false)
  const isLive = state === 'shown' || state === 'waiting'
  return (
    <Card title={title} actions={<Mark tone={TONES[state]}>{state}</Mark>}>
      <div className="flex flex-col gap-2">
        <p className="break-words whitespace-pre-line">{body}</p>
        <p className="text-[12px] text-soft">
          {kind === 'maintenance' ? 'Maintenance' : 'News'}, {announcementText(announcement)}. Made{' '}
          <Time seconds={at} /> by {by}.
        </p>
        {isLive && (
          <Button look="secondary" className="self-start" onClick={() => setAsking(true)}>
            Take it back
          </Button>
        )}
      </div>
      {isAsking && <WithdrawDialog announcement={announcement} onClose={() => setAsking(false)} />}
    </Card>
  )
}

interface WithdrawDialogProps {
  readonly announcement: OperatorAnnouncement
  readonly onClose: () => void
}

function WithdrawDialog({ announcement, onClose }: WithdrawDialogProps) {
  const withdraw = useOperatorAction(
    (reason: string) =>
      consoleApi.call(consoleEndpoints.withdrawAnnouncement, {
        path: { announcement_id: announcement.id },
        body: { reason },
      }),
    'It is not shown any more.',
    onClose,
  )
  return (
    <ActionDialog
      title={`Take back “${announcement.title}”`}
      lead="It is not shown any more. It stays in this list and in the journal."
      action="Take it back"
      run={withdraw}
      onClose={onClose}
      onSubmit={(text) => withdraw.mutate(text('reason'))}
    >
      <ReasonField />
    </ActionDialog>
  )
}
