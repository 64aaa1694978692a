const periods = [['', 'at any time'], [3600, 'in the last hour'], [86400, 'in the last day'], [604800, 'in the last 7 days'], [2592000, 'in the last 30 days']];
const states = ['running', 'waiting', 'completed', 'faulted', 'cancelled', 'suspended', 'interrupted', 'unknown', 'damaged'];

const problemOf = run => {
  const text = String(run.problem || (run.error && (run.error.title || run.error.type)) || '');
  return text ? el('bdi', {}, short(text, 120)) : null;
};

class Board {
  constructor() {
    this.page = document.getElementById('page');
    this.message = document.getElementById('message');
    const given = new URLSearchParams(location.hash.slice(1)).get('token');
    if (given) {
      // Remove the token from the address, which appears in histories and screenshots.
      sessionStorage.setItem('token', given);
      history.replaceState(null, '', '#/');
    }
    this.token = sessionStorage.getItem('token') || '';
    this.filter = { state: '', search: '', seconds: '', limit: 100 };
    addEventListener('hashchange', () => this.open());
    this.open();
  }

  say(text) { this.message.textContent = visible(text || ''); }

  // Sends a request to the server. On failure, shows the problem and returns null.
  async ask(path, options = {}) {
    try {
      const answer = await fetch('/api' + path, { ...options, headers: { Authorization: 'Bearer ' + this.token } });
      if (answer.ok) return answer;
      this.say((await answer.json()).detail);
    } catch (error) {
      if (error.name !== 'AbortError') this.say('The board does not answer: it has probably ended.');
    }
    return null;
  }

  // Reads the messages of a stream until it is aborted. Reconnects when the stream ends.
  async follow(path, signal, take) {
    while (!signal.aborted) {
      const answer = await this.ask(path, { signal });
      try {
        if (answer) {
          this.say('');
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let rest = '';
          for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const messages = (rest + part.value).split('\n\n');
            rest = messages.pop();
            for (const message of messages) if (message.startsWith('data: ')) await take(JSON.parse(message.slice(6)));
          }
        }
      } catch (error) {
        if (error.name === 'AbortError') return;
      }
      await new Promise(resume => setTimeout(resume, 2000));
    }
  }

  open() {
    if (this.following) this.following.abort();
    this.following = new AbortController();
    const place = /^#\/(runs|start)\/(.+)$/.exec(location.hash);
    if (!place) this.openList();
    else if (place[1] === 'runs') this.openRun(decodeURIComponent(place[2]));
    else this.openStart(decodeURIComponent(place[2]));
  }

  // Shows the form for a workflow's input, then its dry run, then the run.
  async openStart(file) {
    document.title = file + ' – graphflow board';
    this.page.replaceChildren();
    const answer = await this.ask('/workflows/form?' + new URLSearchParams({ file }), { signal: this.following.signal });
    if (!answer) return;
    const view = new StartView(this.page, await answer.json(), (path, body) => this.send(path, body));
    view.focus();
  }

  // Posts a form's data. If that is refused, shows the reason and returns null.
  async send(path, body) {
    this.say('…');
    const answer = await this.ask(path, { method: 'POST', body: JSON.stringify(body) });
    if (answer) this.say('');
    return answer && (answer.status === 204 ? {} : answer.json());
  }

  openList() {
    document.title = 'graphflow board';
    const search = el('input', { type: 'search', 'aria-label': 'Find a run', placeholder: 'Find a run', value: this.filter.search,
      input: () => { this.filter.search = search.value; this.filter.limit = 100; this.followList(); } });
    const state = el('select', { 'aria-label': 'State', change: () => { this.filter.state = state.value; this.followList(); } },
      el('option', { value: '' }, 'in any state'), states.map(name => el('option', { value: name, selected: name === this.filter.state }, name)));
    const period = el('select', { 'aria-label': 'Time', change: () => { this.filter.seconds = period.value; this.followList(); } },
      periods.map(([seconds, name]) => el('option', { value: seconds, selected: String(seconds) === this.filter.seconds }, name)));
    this.count = el('span', { class: 'quiet', role: 'status' });
    this.rows = el('tbody');
    this.more = el('button', { type: 'button', hidden: true, click: () => { this.filter.limit += 400; this.followList(); } }, 'Show more');
    [this.services, this.workflows] = [el('div'), el('div')];
    this.page.replaceChildren(this.services, el('h1', {}, 'Runs'), el('div', { class: 'tools' }, search, state, period, this.count),
      el('table', { class: 'runs list', role: 'table' }, el('thead', { role: 'rowgroup' }, this.titles = el('tr', { role: 'row' })), this.rows), this.more, this.workflows);
    this.rows.setAttribute('role', 'rowgroup');
    this.followList();
    this.showWorkflows();
  }

  // Lists the workflows that can be started.
  async showWorkflows() {
    const answer = await this.ask('/workflows');
    const workflows = answer ? await answer.json() : [];
    if (workflows.length) this.workflows.replaceChildren(el('h1', {}, 'Workflows'), table('workflows', ['Workflow', 'File', 'To start'], workflows.map(entry => [
      el('bdi', {}, short(entry.title || entry.name || '?')), el('bdi', { class: 'mono' }, short(entry.file)),
      entry.problem ? el('bdi', { class: 'quiet' }, short(entry.problem)) : el('a', { href: '#/start/' + encodeURIComponent(entry.file), 'aria-label': 'Start ' + entry.file }, 'Start …'),
    ])));
  }

  followList() {
    this.following.abort();
    this.following = new AbortController();
    this.follow('/runs/stream?' + new URLSearchParams(this.filter), this.following.signal, list => this.showList(list));
  }

  // Lists the schedules that are served now; nothing if no service is running.
  showServices(services) {
    const rows = services.flatMap(service => service.schedules.map(entry => [el('bdi', {}, short(entry.workflow)), el('bdi', {}, short(entry.schedule)),
      el('div', {}, (entry.next || []).map(time => el('div', {}, moment(time)))), el('bdi', { class: 'mono' }, short(entry.file)), String(service.process),
      moment(service.startedAt)]));
    this.services.replaceChildren(...(rows.length ? [el('h1', {}, 'Schedules'), table('schedules', ['Workflow', 'Schedule', 'Next', 'File', 'Process', 'Since'], rows)] : []));
  }

  showList(list) {
    this.showServices(list.services);
    const focused = document.activeElement && document.activeElement.dataset.run;
    this.count.textContent = list.runs.length === 0 ? 'no run' + (this.filter.state || this.filter.search || this.filter.seconds ? ' matches' : ' yet: graphflow run FILE')
      : number(list.runs.length) + (list.hasMore ? ' newest' : '') + (list.runs.length === 1 ? ' run' : ' runs');
    this.more.hidden = !list.hasMore;
    const hasBatches = list.runs.some(run => run.counts);
    const names = ['State', 'Workflow', 'Run', 'Started', 'Took', ...(hasBatches ? ['Items'] : []), 'Error'];
    this.titles.replaceChildren(...titles(names));
    this.rows.replaceChildren(...list.runs.map(run => row(names, [
      el('span', {}, el('span', { class: 'badge ' + run.state }, run.state), run.sandbox ? [' ', el('span', { class: 'tag' }, 'sandbox')] : null),
      el('bdi', {}, short(run.workflow || '?')), el('a', { class: 'mono', 'data-run': run.run, href: '#/runs/' + encodeURIComponent(run.run) }, run.run),
      moment(run.startedAt), run.duration === undefined ? '…' : duration(run.duration), ...(hasBatches ? [run.counts ? el('span', {}, itemsBar(run.counts)) : null] : []),
      problemOf(run),
    ])));
    if (focused) this.rows.querySelector('[data-run="' + CSS.escape(focused) + '"]')?.focus();
  }

  async openRun(name) {
    const path = '/runs/' + encodeURIComponent(name);
    const { signal } = this.following;
    document.title = name + ' – graphflow board';
    const drawing = el('figure', { id: 'drawing', class: 'drawing', tabindex: 0, 'aria-label': 'Workflow' });
    this.acts = el('div', { class: 'acts' });
    const place = el('div');
    const approvals = new ApprovalsView((way, body) => this.send(path + way, body), async () => {
      const answer = await this.ask(path + '/approvals', { signal });
      return answer ? answer.json() : [];
    });
    this.page.replaceChildren(this.acts, approvals.element, place, drawing);
    const answer = await this.ask(path + '/drawing', { signal });
    const text = answer ? await answer.text() : '';
    if (text) drawing.append(document.importNode(new DOMParser().parseFromString(text, 'text/html').querySelector('svg'), true));
    if (signal.aborted) return;
    let [view, last] = [null, 0];
    await this.follow(path + '/stream', signal, async change => {
      // Wait twice as long as the last read took, up to 10 s.
      const wait = last - Date.now();
      if (wait > 0) await new Promise(resume => setTimeout(resume, wait));
      const begun = Date.now();
      const answer = await this.ask(path, { signal });
      if (!answer || signal.aborted) return;
      const run = await answer.json();
      last = Date.now() + Math.min(10000, 2 * (Date.now() - begun));
      view = view || (run.kind === 'batch' ? new BatchView(place, query => this.itemsOf(path, query)) : new RunView(place));
      view.show(run);
      await approvals.show(run.state === 'waiting');
      if (run.batch) this.showBatch(run.batch); else this.showActs(path, run);
    });
  }

  async itemsOf(path, query) {
    const answer = await this.ask(path + '/items?' + new URLSearchParams(query), { signal: this.following.signal });
    return answer && answer.json();
  }

  // An item is resumed with its batch, so its page links to the batch.
  showBatch(name) {
    if (!this.acts.children.length) this.acts.append(el('a', { href: '#/runs/' + encodeURIComponent(name) }, 'The batch ' + name));
  }

  showActs(path, run) {
    const act = (text, method, path, body, question) => el('button', { type: 'button', click: async event => {
      if (question && !confirm(question)) return;
      const button = event.currentTarget;
      button.disabled = true;
      this.say(text + ' …');
      const answer = await this.ask(path, { method, body: body && JSON.stringify(body) });
      button.disabled = false;
      if (!answer) return;
      this.say('');
      if (method === 'DELETE') location.hash = '#/';
    } }, text);
    const acts = [];
    if (run.resume && run.state === 'unknown') {
      acts.push(act('Resume: it was sent', 'POST', path + '/resume', { assume: 'sent' }), act('Resume: it was not sent', 'POST', path + '/resume', { assume: 'not-sent' }));
    }
    if (run.resume) acts.push(act('Resume', 'POST', path + '/resume', {}), act('Resume with the changed file', 'POST', path + '/resume', { acceptChanges: true }));
    if (run.kind === 'batch') {
      if (run.state === 'running') acts.push(act('Interrupt', 'POST', path + '/cancel', undefined, 'Interrupt this batch? It can be resumed.'));
    } else if (['running', 'suspended', 'interrupted'].includes(run.state)) {
      acts.push(act('Cancel', 'POST', path + '/cancel', undefined, 'Cancel this run?'));
    }
    if (run.state !== 'running' && run.state !== 'waiting') acts.push(act('Remove', 'DELETE', path, undefined, 'Remove this ' + run.kind + ' and everything that it left?'));
    const wanted = acts.map(button => button.textContent).join();
    // Keep unchanged buttons, so they keep the focus.
    if (this.acts.dataset.shown !== wanted || !this.acts.children.length) this.acts.replaceChildren(...acts);
    this.acts.dataset.shown = wanted;
  }
}

new Board();
