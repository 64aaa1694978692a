// What a run waits for: each plan or question, with a note and two buttons.
class ApprovalsView {
  constructor(send, load) {
    [this.send, this.load] = [send, load];
    this.element = el('div', { 'aria-live': 'polite' });
    this.shown = '';
  }

  // Looks again while the run waits: a plan, or an answer that does not count, changes no event of the run.
  async show(isWaiting) {
    this.isWaiting = isWaiting;
    clearTimeout(this.timer);
    const requests = isWaiting ? await this.load() : [];
    if (this.isWaiting !== isWaiting) return;
    if (isWaiting && this.element.isConnected) this.timer = setTimeout(() => this.show(true), 2000);
    const shown = JSON.stringify(requests);
    if (shown === this.shown) return;
    this.shown = shown;
    const note = this.element.querySelector('input')?.value || '';
    this.element.replaceChildren(...requests.map(request => this.section(request)));
    // The note that is being written stays.
    if (requests.length === 1) this.element.querySelector('input').value = note;
  }

  section(request) {
    const note = el('input', { type: 'text', maxlength: 2000 });
    const after = el('p', { role: 'status' });
    const decide = (text, way, done) => el('button', { type: 'button', class: way === '/approve' ? 'primary' : '', click: async event => {
      const button = event.currentTarget;
      button.disabled = true;
      const answer = await this.send(way, { id: request.id, note: note.value });
      button.disabled = false;
      if (answer) after.replaceChildren(done(answer));
    } }, text);
    const page = el('div', { class: 'plan' });
    // Parsed without running anything; the page of a plan has no scripts.
    if (request.page) page.append(...[...new DOMParser().parseFromString(request.page, 'text/html').body.children].map(child => document.importNode(child, true)));
    return el('section', { 'aria-label': 'Approval' }, el('h2', {}, 'Waits for approval'),
      el('pre', { tabindex: 0, 'aria-label': 'What is approved' }, request.text),
      request.failure ? el('p', { class: 'error' }, el('bdi', {}, 'The last approval does not count: ' + short(request.failure, 1000))) : null,
      el('label', {}, 'Note', note),
      el('div', { class: 'acts' }, decide('Approve …', '/approve', answer =>
        el('a', { href: answer.address, target: '_blank', rel: 'noopener' }, 'Sign in to approve')), decide('Reject', '/reject', () => 'rejected')), after,
      request.page ? el('details', {}, el('summary', {}, 'The plan as a page'), page) : null);
  }
}
