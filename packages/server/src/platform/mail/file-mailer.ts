import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { composeMessage } from './compose-message.ts'
import type { Mailer, MailSender } from './mailer.ts'

/**
 * Makes a mailer that writes each email to a file of its own instead of sending it: for the sandbox and for
 * development. The files end in `.eml` and open in any mail program.
 *
 * @param folder made when it is not there, readable by its owner alone.
 */
export function createFileMailer(folder: string, sender: () => Promise<MailSender>): Mailer {
  return {
    async send(mail) {
      try {
        const { createTransport } = await import('nodemailer')
        const transporter = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
        const { envelope, ...message } = composeMessage(mail, await sender())
        const sent = await transporter.sendMail({ ...message, envelope: { from: envelope.from, to: [...envelope.to] } })
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const path = join(folder, `${mail.mailId}.eml`)
        // Written beside and renamed, so that no reader sees half an email.
        await writeFile(`${path}.part`, sent.message, { mode: 0o600 })
        await rename(`${path}.part`, path)
        return { kind: 'accepted' }
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN'
        return { kind: 'failed', code }
      }
    },
  }
}
