"""The steps of tests/bench/same_model.mtf in PyTorch, from the initial values that it has written."""
import json, math, struct, sys, torch, torch.nn.functional as F

content = open(sys.argv[1], 'rb').read()
length, = struct.unpack('<Q', content[:8])
header = json.loads(content[8:8 + length])
header.pop('__metadata__')
p = {}
for name, tensor in header.items():
    begin, end = (8 + length + at for at in tensor['data_offsets'])
    p[name] = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float32).reshape(tensor['shape']).requires_grad_()

def norm(x, name): return F.layer_norm(x, x.shape[-1:], p[name + '.scale'], p[name + '.offset'], 1e-6)

def attention(x, at):
    q, k, v = (torch.einsum('blf,fhd->bhld', x, p[at + '.w' + c]) + p[at + '.b' + c][:, None] for c in 'qkv')
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(torch.triu(torch.ones_like(scores[0, 0], dtype=torch.bool), 1), -math.inf)
    return torch.einsum('bhld,hdf->blf', scores.softmax(-1) @ v, p[at + '.wo']) + p[at + '.bo']

def net(ids):
    x = p['embedding.table'][ids] + p['positions.table']
    for i in range(4):
        at = f'blocks[{i}]'
        x = x + attention(norm(x, at + '.norm1'), at + '.attention')
        h = F.gelu(norm(x, at + '.norm3') @ p[at + '.feed_forward.up.w'] + p[at + '.feed_forward.up.b'], approximate='tanh')
        x = x + h @ p[at + '.feed_forward.down.w'] + p[at + '.feed_forward.down.b']
    return norm(x, 'norm') @ p['embedding.table'].T

b, l = torch.arange(4)[:, None], torch.arange(16)
ids = 7 * b + 3 * l + b * l
optimizer = torch.optim.AdamW(p.values(), lr=0.003, weight_decay=0.1)
for step in range(10):
    loss = F.cross_entropy(net(ids % 31).reshape(-1, 31), ((ids * 5 + 1) % 31).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
    optimizer.step()
    print(f'{loss.item():.6f}')
