import sys


def following(k):
    if k > 1000:
        return 0
    return k + 1


k = 0
for i in range(int(sys.argv[1])):
    k = following(k)
print(k)
