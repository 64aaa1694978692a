// A form made from a JSON Schema: a field for each property, with JSON for properties without a simple type.
class InputForm {
  constructor(schema) {
    const properties = schema && schema.properties;
    const required = (schema && schema.required) || [];
    this.fields = properties ? Object.entries(properties).map(([name, part]) => this.field(name, part || {}, required.includes(name))) : [];
    this.whole = properties ? null : this.field(null, { description: 'JSON; an empty field means an empty object' }, false);
    const shown = this.whole ? [this.whole] : this.fields;
    this.element = el('div', { class: 'fields' }, shown.map(field => field.element),
      shown.length ? null : el('p', { class: 'quiet' }, 'This workflow takes no input.'));
  }

  field(name, part, isRequired) {
    const types = [part.type].flat().filter(type => type && type !== 'null');
    const type = part.enum ? 'enum' : types.length === 1 && name !== null ? types[0] : 'json';
    const given = part.default === undefined ? '' : typeof part.default === 'string' ? part.default : JSON.stringify(part.default);
    const choices = part.enum || (type === 'boolean' ? [true, false] : null);
    const format = { date: 'date', email: 'email', time: 'time' }[part.format] || 'text';
    const control = choices ? el('select', { required: isRequired },
      el('option', { value: '' }, isRequired ? 'choose' : 'not given'),
      choices.map(value => el('option', { value: JSON.stringify(value), selected: value === part.default }, typeof value === 'string' ? value : JSON.stringify(value))))
      : type === 'string' ? el('input', { type: format, value: given, required: isRequired })
        : type === 'integer' || type === 'number' ? el('input', { type: 'text', inputmode: 'decimal', value: given, required: isRequired })
          : el('textarea', { required: isRequired, spellcheck: 'false' }, given);
    control.addEventListener('input', () => control.setCustomValidity(''));
    const label = name === null ? 'Input' : part.title || name;
    return { name, type, isRequired, control, isText: type === 'string', element: el('label', {},
      el('bdi', {}, short(label)), isRequired ? el('span', { class: 'quiet' }, ' required') : null,
      part.description ? el('small', {}, short(part.description, 500)) : null, control) };
  }

  // The input; undefined if a field's value has the wrong type, which the field then reports.
  value() {
    if (this.whole) return this.whole.control.value.trim() ? this.read(this.whole) : {};
    const input = {};
    for (const field of this.fields) {
      if (field.control.value === '') continue;
      const value = field.isText ? field.control.value : this.read(field);
      if (value === undefined) return undefined;
      input[field.name] = value;
    }
    return input;
  }

  read({ control, type }) {
    let value;
    try { value = JSON.parse(control.value); } catch { value = undefined; }
    const isWrong = value === undefined || type === 'integer' && !Number.isInteger(value) || type === 'number' && typeof value !== 'number';
    if (!isWrong) return value;
    control.setCustomValidity(type === 'integer' ? 'a whole number is needed' : type === 'number' ? 'a number is needed' : 'this is not JSON');
    control.reportValidity();
    return undefined;
  }
}

// Starts a workflow: asks for its input, shows the plan, and runs exactly that plan.
class StartView {
  constructor(page, workflow, send) {
    [this.workflow, this.send] = [workflow, send];
    this.form = new InputForm(workflow.schema);
    this.place = el('select', {}, el('option', { value: 'sandbox' }, 'a sandbox, which sends nothing'), el('option', { value: 'live' }, 'Microsoft 365'));
    this.form.element.append(el('label', {}, 'Where', this.place));
    this.plan = el('div', { 'aria-live': 'polite' });
    const form = el('form', { submit: event => { event.preventDefault(); this.rehearse(); }, input: () => this.plan.replaceChildren() },
      this.form.element, el('div', { class: 'acts' }, el('button', { class: 'primary' }, 'Show what it would do')));
    page.replaceChildren(...[el('header', { class: 'head' }, el('h1', {}, el('bdi', {}, short(workflow.title || workflow.name))),
      el('p', {}, el('bdi', { class: 'mono' }, short(workflow.file)))), workflow.summary ? el('p', {}, el('bdi', {}, short(workflow.summary, 2000))) : null,
    el('section', { 'aria-label': 'Input' }, form), this.plan].filter(Boolean));
  }

  focus() { this.form.element.querySelector('input,select,textarea').focus(); }

  async rehearse() {
    const input = this.form.value();
    if (input === undefined) return;
    this.plan.replaceChildren();
    const plan = await this.send('/plans', { file: this.workflow.file, input, sandbox: this.place.value === 'sandbox' });
    if (!plan) return;
    const run = el('button', { type: 'button', class: 'primary', click: async () => {
      run.disabled = true;
      const answer = await this.send('/plans/' + plan.plan + '/run', {});
      if (answer && answer.run) location.hash = '#/runs/' + encodeURIComponent(answer.run);
    } }, this.place.value === 'sandbox' ? 'Run it in a sandbox' : 'Run it');
    this.plan.replaceChildren(el('section', { 'aria-label': 'What it would do' }, el('h2', {}, 'What it would do'), plan.warning ? el('p', {}, el('bdi', {}, plan.warning)) : null,
      el('pre', { tabindex: 0, 'aria-label': 'Plan' }, plan.text), el('div', { class: 'acts' }, run)));
    run.focus();
  }
}
