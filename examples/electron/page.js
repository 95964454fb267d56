const [input, answer] = [document.querySelector('input'), document.querySelector('p')];

model.onPiece(text => answer.append(text));
document.querySelector('#stop').addEventListener('click', () => model.stop());
document.querySelector('form').addEventListener('submit', async event => {
  event.preventDefault();
  const text = input.value;
  [input.value, answer.textContent] = ['', ''];
  answer.textContent = await model.send(text).catch(error => String(error));
});
