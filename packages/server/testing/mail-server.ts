/** A real SMTP server for tests: it keeps what it is given, envelope and message, and can be told to refuse. */
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** An email as a mail server got it. */
export interface ReceivedMail {
  readonly envelopeFrom: string
  readonly envelopeTo: readonly string[]
  readonly source: string
  readonly parsed: ParsedMail
}

/** What the server says to the next recipients: a status and a text. */
export interface Refusal {
  readonly status: number
  readonly text: string
}

export interface TestMailServer {
  /** `smtp://127.0.0.1:…` */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly received: ReceivedMail[]
  /** Refuses recipients from now on; null takes them again. */
  refuse(refusal: Refusal | null): void
  close(): Promise<void>
}

/** Starts one on a free port. */
export async function startMailServer(options: { readonly port?: number } = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = []
  let refusal: Refusal | null = null
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, callback) => callback(refusal === null ? null : failure(refusal)),
    onData: (stream, session, callback) => {
      const receive = async (): Promise<void> => {
        const source = await buffer(stream)
        const parsed = await simpleParser(source)
        received.push({ ...envelopeOf(session), source: source.toString('latin1'), parsed })
      }
      void receive().then(...outcomes(callback))
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    host: '127.0.0.1',
    port,
    received,
    refuse: (next) => {
      refusal = next
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function failure({ status, text }: Refusal): Error {
  return Object.assign(new Error(text), { responseCode: status })
}

function envelopeOf({ envelope }: SMTPServerSession): Pick<ReceivedMail, 'envelopeFrom' | 'envelopeTo'> {
  const { mailFrom, rcptTo } = envelope
  return {
    envelopeFrom: mailFrom === false ? '' : mailFrom.address,
    envelopeTo: rcptTo.map(({ address }) => address),
  }
}

/** The two ways in which an email can be answered, for a promise. */
function outcomes(callback: (error?: Error | null) => void): [() => void, (error: unknown) => void] {
  return [() => callback(), (error) => callback(error instanceof Error ? error : new Error(String(error)))]
}
