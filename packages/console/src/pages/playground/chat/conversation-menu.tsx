import { History, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Time } from '../../../ui/time.tsx'
import type { ChatState, ChatStore } from './chat-store.ts'
import { titleOf } from './conversation.ts'

/** The conversations that this browser keeps. */
export function ConversationMenu({ store, state }: { readonly store: ChatStore; readonly state: ChatState }) {
  const [isOpen, setOpen] = useState(false)
  const begun = state.conversations.filter(({ head }) => head !== null)
  return (
    <div className="flex gap-1">
      <Button look="quiet" className="px-2!" onClick={() => store.startNew()}>
        <Plus size={14} aria-hidden />
        New
      </Button>
      <Button look="quiet" className="px-2!" onClick={() => setOpen(true)}>
        <History size={14} aria-hidden />
        Conversations
      </Button>
      {isOpen && (
        <Dialog
          title="Conversations"
          lead="Kept in this browser alone, until you sign out."
          look="drawer"
          onClose={() => setOpen(false)}
        >
          {begun.length === 0 && <p className="text-soft">There is none yet.</p>}
          <ul className="-mx-2 flex flex-col">
            {begun.map((conversation) => (
              <li key={conversation.id} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-current={conversation.id === state.currentId || undefined}
                  className="min-w-0 flex-1 rounded px-2
                    py-1.5 text-left hover:bg-accent-soft aria-[current]:bg-accent-soft"
                  onClick={() => {
                    store.select(conversation.id)
                    setOpen(false)
                  }}
                >
                  <span className="block truncate">{titleOf(conversation)}</span>
                  <span className="block truncate text-[12px] text-soft">
                    <Time seconds={conversation.changedAt / 1_000} /> · {conversation.models.join(', ')}
                  </span>
                </button>
                <Button
                  look="quiet"
                  className="px-2!"
                  aria-label={`Delete “${titleOf(conversation)}”`}
                  onClick={() => store.remove(conversation.id)}
                >
                  <Trash2 size={14} aria-hidden />
                </Button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </div>
  )
}
